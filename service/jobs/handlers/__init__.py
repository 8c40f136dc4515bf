"""The jobs themselves, one module a kind."""
