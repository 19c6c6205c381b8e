"""Pictures as SVG, one kind per file: plain values in, Markup out.

Widths are percentages and heights pixels, so a picture fits a phone and a sheet of paper alike
while its text keeps its size. What needs a path (lines, areas) stands in a nested ``<svg>`` that is
stretched. Colours come from the classes of ``charts.css``; whatever a colour means, a pattern, a
dash or a word says, too.
"""
