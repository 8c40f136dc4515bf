"""The schemas of request bodies; marshmallow lives here only."""
