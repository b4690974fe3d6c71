import StateRestoration

/// The controllers that are affected by a change to a container's children.
///
/// They are notified after the new children have been linked.
struct ChildrenExchange {
    /// The former children.
    ///
    /// The container remains their parent until its views are replaced.
    var removed: [ViewController] = []
    /// The new children.
    var added: [ViewController] = []
    /// Closures that notify the former containers and presenters of the new children.
    var leaveNotifications: [() -> Void] = []
}

extension ViewController {
    /// Replaces the children.
    ///
    /// Each new child leaves its current container, presenter or window.
    ///
    /// Controllers that are notified before they move can change the tree. Controllers that are notified afterwards
    /// find the new children linked.
    ///
    /// - Parameters:
    ///   - controllers: The new children. If a controller is listed twice, its last position counts.
    ///   - link: A closure that changes the container's other state together with its children. It must not notify
    ///     any object.
    func replaceChildren(with controllers: [ViewController], linking link: () -> Void = {}) {
        var seen: Set<ObjectIdentifier> = []
        let wanted = Array(
            controllers.reversed().filter { seen.insert(ObjectIdentifier($0)).inserted }.reversed())
        let before = children
        let existing = Set(before.map(ObjectIdentifier.init))
        for child in before where !seen.contains(ObjectIdentifier(child)) {
            child.willMove(toParent: nil)
        }
        for child in wanted where !existing.contains(ObjectIdentifier(child)) { letCome(child) }
        let exchange = linkChildren(wanted)
        link()
        finish(exchange)
    }

    private func finish(_ exchange: ChildrenExchange) {
        notifyHolders(of: exchange)
        for child in exchange.removed where child.loadedView !== shownChildView {
            removeView(ofFormer: child)
        }
        childrenDidChange()
        for child in exchange.removed where child.parent === self && child.isLeavingParent {
            removeView(ofFormer: child)
            child.parentLink.object = nil
            child.isLeavingParent = false
            child.didMove(toParent: nil)
        }
        for child in exchange.added where isHolding(child) {
            child.didMove(toParent: self)
        }
    }

    /// Returns whether a controller is one of the children.
    func isHolding(_ child: ViewController) -> Bool {
        child.parent === self && !child.isLeavingParent
    }

    private func removeView(ofFormer child: ViewController) {
        guard let view = child.loadedView, view.superview?.viewController === self,
            !isHolding(child)
        else { return }
        view.removeFromSuperview()
    }

    /// Removes a controller that will become a child from its current container or presenter, and notifies it.
    func letCome(_ child: ViewController) {
        requireCanLie(child)
        child.leaveHolder()
        child.willMove(toParent: self)
    }

    private func requireCanLie(_ child: ViewController) {
        precondition(
            child.canLie(in: self),
            "\(type(of: self)) cannot contain \(type(of: child)), which contains it or is the same controller"
        )
    }

    /// Makes exactly these controllers the children, wherever they currently are, without notifying any object.
    func linkChildren(_ wanted: [ViewController]) -> ChildrenExchange {
        let existing = Set(children.map(ObjectIdentifier.init))
        let staying = Set(wanted.map(ObjectIdentifier.init))
        var exchange = ChildrenExchange()
        exchange.removed = children.filter { !staying.contains(ObjectIdentifier($0)) }
        exchange.added = wanted.filter { !existing.contains(ObjectIdentifier($0)) }
        for child in exchange.added {
            requireCanLie(child)
            exchange.leaveNotifications.append(child.slipOut())
        }
        children = wanted
        for child in exchange.removed { child.isLeavingParent = true }
        for child in exchange.added {
            child.parentLink.object = self
            child.isLeavingParent = false
        }
        restoration.invalidateStructure()
        return exchange
    }

    /// Notifies the former containers and presenters of the new children.
    ///
    /// The new children also hand over the controllers that they present, and start their tasks.
    func notifyHolders(of exchange: ChildrenExchange) {
        for notify in exchange.leaveNotifications { notify() }
        for child in exchange.added where child.parent === self {
            child.handOverPresented()
            child.startTasksIfAttached()
        }
    }

    /// Leaves the container, the presenter, or the window whose root the controller is.
    func leaveHolder() {
        removeFromParent()
        presenter?.letPresentedGo()
        rootWindow?.rootViewController = nil
    }

    /// Leaves the container, the presenter, or the window whose root the controller is, without notifying any
    /// object yet.
    ///
    /// - Returns: A closure that notifies the former container, and the controllers that appeared or disappeared.
    func slipOut() -> () -> Void {
        guard parent != nil || presenter != nil || rootWindow != nil else { return {} }
        let (parent, presenter, touched) = (parent, presenter, frontmostPresented)
        parent?.children.removeAll { $0 === self }
        parent?.restoration.invalidateStructure()
        parentLink.object = nil
        presenter?.unlinkPresented()
        rootWindow?.forgetRoot()
        return {
            parent?.childrenDidChange()
            AppearanceTransition.run(touching: [touched.loadedView, presenter?.loadedView]) {}
        }
    }

    /// Adds a controller as the last child, after removing it from its current container, presenter or window.
    ///
    /// The caller adds the child's view and then calls ``didMove(toParent:)`` on the child. Adding this controller
    /// itself, or a controller that holds it, is a programming error and traps.
    public func addChild(_ child: ViewController) {
        insertChild(child, at: .max)
    }

    /// Inserts a controller as a child, like ``addChild(_:)``.
    ///
    /// - Parameters:
    ///   - child: The controller to insert.
    ///   - index: The index among the children. If it is too large, the controller is added as the last child.
    public func insertChild(_ child: ViewController, at index: Int) {
        if !isHolding(child) { letCome(child) }
        var wanted = children.filter { $0 !== child }
        wanted.insert(child, at: min(max(index, 0), wanted.count))
        let exchange = linkChildren(wanted)
        notifyHolders(of: exchange)
        childrenDidChange()
    }

    /// Replaces a child with another controller, and removes the child's view from this controller's view.
    ///
    /// The caller adds the new controller's view. A container calls this method when it decodes its children, because
    /// the launch may have created a controller to replace the container's initial child (R9).
    ///
    /// - Parameters:
    ///   - child: One of ``children``.
    ///   - other: The new child. It leaves its current container or presenter. If it is `child` itself, nothing
    ///     changes.
    /// - Returns: `false` if nothing was replaced, because `child` is not a child of this controller, or because
    ///   `other` is a window's root view controller, this controller, or one of its containers.
    public func replaceChild(_ child: ViewController, with other: ViewController) -> Bool {
        guard isHolding(child), other.canBeLinked(to: self) else { return false }
        if child === other { return true }
        replaceChildren(with: children.map { $0 === child ? other : $0 })
        return true
    }

    /// Removes the controller from its container.
    public func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        parentLink.object = nil
        parent.restoration.invalidateStructure()
        parent.childrenDidChange()
        if self.parent == nil { didMove(toParent: nil) }
    }

    /// The nearest navigation controller that contains this controller, or `nil` if there is none.
    public var navigationController: NavigationController? { nearest() }

    /// The nearest tab bar controller that contains this controller, or `nil` if there is none.
    public var tabBarController: TabBarController? { nearest() }

    /// The nearest split view controller that contains this controller, or `nil` if there is none.
    public var splitViewController: SplitViewController? { nearest() }

    private func nearest<Container>() -> Container? {
        parent as? Container ?? parent?.nearest()
    }

    /// The outermost container of the controller, or the controller itself if it has no container.
    var outermostContainer: ViewController {
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        return outermost
    }

    /// Returns whether another controller can hold or present this controller without a cycle.
    func canLie(in holder: ViewController) -> Bool {
        let holders = sequence(first: holder) { $0.parent ?? $0.presenter }
        if holders.contains(where: { $0 === self }) { return false }
        guard let loadedView, let place = holder.loadedView else { return true }
        return !place.lies(in: loadedView)
    }

    /// Returns whether a container that decodes its state can link the controller as a child, or present it.
    ///
    /// A damaged archive can contain references that cannot be linked. They are skipped.
    func canBeLinked(to holder: ViewController) -> Bool {
        rootWindow == nil && canLie(in: holder)
    }

    /// Returns the children together with the saved children that the launch has recreated.
    ///
    /// Each recreated child follows its saved predecessor (R9).
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

    /// Shows the container's ``childToShow``, and removes the view of the child that was shown before.
    ///
    /// This method is for containers that show one child at a time.
    func updateShownChild() {
        guard let loadedView else { return }
        let next = loadedViewToShow
        if next === shownChildView, next == nil || next?.superview === loadedView { return }
        let isOnScreen = loadedView.isOnScreen
        let last = shownChildView.flatMap { $0.superview === loadedView ? $0 : nil }
        AppearanceTransition.run(
            leaving: isOnScreen ? last : nil, entering: isOnScreen ? next : nil
        ) {
            // An appearance method can choose another child to show.
            let next = loadedViewToShow
            if let shown = shownChildView, shown !== next, shown.superview === loadedView {
                shown.removeFromSuperview()
            }
            shownChildView = next
            if let next, next.superview !== loadedView { loadedView.addSubview(next) }
        }
    }

    /// The loaded view of the child to show.
    ///
    /// Loading a view can change which child that is.
    private var loadedViewToShow: View? {
        while let child = childToShow {
            let view = child.view
            if childToShow === child { return view }
        }
        return nil
    }
}
