"""What every room may use: array namespaces, errors with their wording, types."""
