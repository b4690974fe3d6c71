/// A button in a navigation bar.
open class BarButtonItem: Button {}
