/// What a navigation bar shows while its controller is on top: the title, and buttons beside it.
///
/// It is a view of its controller, so that the buttons have paths and can be tapped.
public final class NavigationItem: View {
    /// The buttons on the left, beside the way back.
    public var leftBarButtonItems: [BarButtonItem] = [] {
        didSet { replace(oldValue, with: leftBarButtonItems) }
    }

    /// The buttons on the right, the outermost first.
    public var rightBarButtonItems: [BarButtonItem] = [] {
        didSet { replace(oldValue, with: rightBarButtonItems) }
    }

    private func replace(_ old: [BarButtonItem], with new: [BarButtonItem]) {
        for item in old { item.removeFromSuperview() }
        for item in new { addSubview(item) }
    }
}
