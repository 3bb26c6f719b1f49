"""Small inputs from public reports, each with the right answer, and its passing twins."""
