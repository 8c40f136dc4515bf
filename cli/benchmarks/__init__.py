"""How fast Trickbook is, each figure beside a floor measured in the same run: ratios mean something on a shared machine,
absolute figures do not.
"""
