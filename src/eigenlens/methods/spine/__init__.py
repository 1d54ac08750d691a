"""What every method is made of, and the tests that methods have."""
