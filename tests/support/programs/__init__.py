"""Programs that tests run in processes of their own, and programs that write test data."""
