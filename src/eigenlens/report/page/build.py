def render(f): return "<html>"
