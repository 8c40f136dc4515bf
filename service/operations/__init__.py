"""What an operator looks at and does: doctor, durability, gauges, actions with a reason."""
