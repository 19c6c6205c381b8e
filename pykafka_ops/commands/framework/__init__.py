"""The base of every command: both forms, options, help, output, profiles."""
