"""The laws, as functions anyone can run on a part of their own."""
