"""Certification: the certificate of a release, the private record beside it, and the proof from the file."""
