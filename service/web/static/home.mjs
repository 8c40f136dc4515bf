// The page's script stands here.
