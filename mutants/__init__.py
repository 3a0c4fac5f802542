"""Mutation runs: what would happen if the verifiers were wrong, and would a test notice?"""
