import StateRestoration

extension ViewController {
    /// Takes a controller in as the last child, out of where it was. Its view is the caller's to
    /// place, and then to tell with ``didMove(toParent:)``.
    ///
    /// A controller that holds this one, or is this one, is a programming error and traps.
    public func addChild(_ child: ViewController) {
        insertChild(child, at: children.count)
    }

    /// Takes a controller in as a child, like ``addChild(_:)``.
    ///
    /// - Parameter index: its place among the children; beyond them it is the last.
    public func insertChild(_ child: ViewController, at index: Int) {
        if child.parent === self {
            children.removeAll { $0 === child }
            place(child, at: index)
            restoration.invalidateStructure()
        } else {
            takeOut(child)
            place(child, at: index)
            child.parent = self
            restoration.invalidateStructure()
            child.handOverPresented()
            child.startTasksIfAttached()
        }
        childrenDidChange()
    }

    private func place(_ child: ViewController, at index: Int) {
        children.insert(child, at: min(max(index, 0), children.count))
    }

    /// Leaves the container.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        parent.restoration.invalidateStructure()
        parent.childrenDidChange()
        didMove(toParent: nil)
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

    /// Whether a container that decodes can link the controller as its child, or present it. What an
    /// archive says may be nonsense: it is skipped then.
    func canBeLinked(to holder: ViewController) -> Bool {
        rootWindow == nil && canLie(in: holder)
    }

    /// The children, with those that were made anew where they stood when the state was saved:
    /// behind the one that stood before them (R9).
    func childrenRelinked(with saved: [ViewController?]) -> [ViewController] {
        var seen = Set(children.map(ObjectIdentifier.init))
        let existing = seen
        var followers: [ObjectIdentifier?: [ViewController]] = [:]
        var predecessor: ObjectIdentifier?
        for case let controller? in saved {
            let identity = ObjectIdentifier(controller)
            if existing.contains(identity) {
                predecessor = identity
            } else if seen.insert(identity).inserted, controller.canBeLinked(to: self) {
                followers[predecessor, default: []].append(controller)
            }
        }
        return (followers[nil] ?? [])
            + children.flatMap { [$0] + (followers[ObjectIdentifier($0)] ?? []) }
    }

    /// Replaces the children, each of which comes out of where it was.
    ///
    /// - Parameters:
    ///   - controllers: the children from now on; one that is named twice stands where it is named
    ///     last.
    ///   - show: shows what is to be seen of them.
    func replaceChildren(
        with controllers: [ViewController], showing show: () -> Void
    ) {
        let added = exchangeChildren(for: controllers)
        show()
        for child in added where child.parent === self { child.didMove(toParent: self) }
    }

    /// - Returns: the children that are new.
    private func exchangeChildren(for controllers: [ViewController]) -> [ViewController] {
        var seen: Set<ObjectIdentifier> = []
        let wanted = controllers.reversed().filter { seen.insert(ObjectIdentifier($0)).inserted }
            .reversed()
        let removed = children.filter { !seen.contains(ObjectIdentifier($0)) }
        let added = wanted.filter { $0.parent !== self }
        for child in removed { child.willMove(toParent: nil) }
        for child in added { takeOut(child) }
        for child in removed {
            if let view = child.loadedView, view.superview === loadedView {
                view.removeFromSuperview()
            }
            child.parent = nil
        }
        children = Array(wanted)
        for child in added { child.parent = self }
        restoration.invalidateStructure()
        for child in removed { child.didMove(toParent: nil) }
        for child in added {
            child.handOverPresented()
            child.startTasksIfAttached()
        }
        return added
    }

    /// Takes a controller that comes to lie here out of where it was.
    private func takeOut(_ child: ViewController) {
        precondition(
            child.canLie(in: self),
            "\(type(of: self)) cannot hold \(type(of: child)), which holds it or is it")
        child.leaveHolder()
        child.willMove(toParent: self)
    }

    /// Comes out of the container, or from above what presents it, to stand elsewhere.
    func leaveHolder() {
        removeFromParent()
        presenter?.letPresentedGo()
    }

    /// Shows the child that is to be shown and no other, of containers that show one at a time.
    func updateShownChild() {
        guard let loadedView else { return }
        let next = childToShow?.view
        if next === shownChildView, next == nil || next?.superview === loadedView { return }
        let isOnScreen = loadedView.isOnScreen
        let last = shownChildView.flatMap { $0.superview === loadedView ? $0 : nil }
        AppearanceTransition.run(
            leaving: isOnScreen ? last : nil, entering: isOnScreen ? next : nil
        ) {
            // Who is told that it leaves or comes may show yet another.
            let next = childToShow?.view
            if let shown = shownChildView, shown !== next, shown.superview === loadedView {
                shown.removeFromSuperview()
            }
            shownChildView = next
            if let next, next.superview !== loadedView { loadedView.addSubview(next) }
        }
    }
}
