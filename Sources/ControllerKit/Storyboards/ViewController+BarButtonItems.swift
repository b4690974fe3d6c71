/// A side of a navigation bar.
package enum BarSide: String, Sendable, CaseIterable {
    /// Beside the way back.
    case left = "leftBarButtonItems"
    /// At the other end.
    case right = "rightBarButtonItems"
}

extension ViewController {
    /// A storyboard hands over a button for the navigation bar, behind those of its side.
    package func addBarButtonItem(_ name: String, _ item: BarButtonItem, on side: BarSide) {
        switch side {
        case .left: navigationItem.leftBarButtonItems.append(item)
        case .right: navigationItem.rightBarButtonItems.append(item)
        }
        addOutlet(name, item, in: navigationItem)
    }
}
