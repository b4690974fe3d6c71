import StateRestoration

extension ViewController {
    /// Takes a controller in as the last child, out of where it was. Its view is the caller's to
    /// place, and then to tell with ``didMove(toParent:)``.
    ///
    /// A controller that holds this one, or is this one, is a programming error and traps.
    public func addChild(_ child: ViewController) {
        insertChild(child, at: .max)
    }

    /// Takes a controller in as a child, like ``addChild(_:)``.
    ///
    /// - Parameter index: its place among the children; beyond them it is the last.
    public func insertChild(_ child: ViewController, at index: Int) {
        if !children.contains(where: { $0 === child }) { letCome(child) }
        var wanted = children.filter { $0 !== child }
        wanted.insert(child, at: min(max(index, 0), wanted.count))
        let exchange = linkChildren(wanted)
        tellHolders(of: exchange)
        childrenDidChange()
    }

    /// Leaves the container.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        parent.restoration.invalidateStructure()
        parent.childrenDidChange()
        if self.parent == nil { didMove(toParent: nil) }
    }

    /// The nearest navigation controller that holds this one.
    public var navigationController: NavigationController? { nearest() }

    /// The nearest tab controller that holds this one.
    public var tabBarController: TabBarController? { nearest() }

    /// The nearest split controller that holds this one.
    public var splitViewController: SplitViewController? { nearest() }

    private func nearest<Container>() -> Container? {
        parent as? Container ?? parent?.nearest()
    }

    /// The container that no other holds; the controller itself if it has none.
    var outermostContainer: ViewController {
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        return outermost
    }

    /// Whether the controller can come to lie in, or be presented by, another: that would not close
    /// a circle.
    func canLie(in holder: ViewController) -> Bool {
        var current: ViewController? = holder
        while let controller = current {
            if controller === self { return false }
            current = controller.parent ?? controller.presenter
        }
        guard let loadedView, let place = holder.loadedView else { return true }
        return !place.lies(in: loadedView)
    }
}
