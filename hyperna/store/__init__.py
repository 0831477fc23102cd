"""The store: finished runs on the disk, safe against crashes and damage."""
