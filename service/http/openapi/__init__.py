"""The description of the API, OpenAPI 3.1: answers from the structs that are sent, bodies from the schemas that read them."""
