"""What tests share: corpora, peers, programs that they run, and the places of files."""
