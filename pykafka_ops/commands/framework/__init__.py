"""What every command stands on: both tongues, options, help, output, profiles."""
