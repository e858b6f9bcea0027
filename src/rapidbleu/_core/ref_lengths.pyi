REF_LEN_POLICIES: dict[str, int]
