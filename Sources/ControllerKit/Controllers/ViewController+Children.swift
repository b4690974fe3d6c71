import StateRestoration

/// The controllers affected by a change to a container's children.
///
/// The container notifies them after it has linked the new children.
struct ChildrenChange {
    /// The controllers that are no longer children.
    ///
    /// The container remains their parent until their views have been removed.
    var removedChildren: [ViewController] = []
    /// The new children.
    var addedChildren: [ViewController] = []
    /// Closures that notify the new children's former containers and presenters.
    var departureNotifications: [() -> Void] = []
}

extension ViewController {
    /// Replaces the children.
    ///
    /// Each new child leaves its current container, presenter or window.
    ///
    /// A controller can change the tree when it receives ``willMove(toParent:)``. The new children are linked before
    /// any controller receives ``didMove(toParent:)``.
    ///
    /// - Parameters:
    ///   - controllers: The new children. If a controller is listed twice, its last position counts.
    ///   - link: A closure that changes the container's other state together with its children. It must not notify
    ///     other objects.
    func replaceChildren(with controllers: [ViewController], linking link: () -> Void = {}) {
        var seenIdentities: Set<ObjectIdentifier> = []
        let newChildren = Array(
            controllers.reversed().filter { seenIdentities.insert(ObjectIdentifier($0)).inserted }
                .reversed())
        let previousChildren = children
        let existingIdentities = Set(previousChildren.map(ObjectIdentifier.init))
        for child in previousChildren where !seenIdentities.contains(ObjectIdentifier(child)) {
            child.willMove(toParent: nil)
        }
        for child in newChildren where !existingIdentities.contains(ObjectIdentifier(child)) {
            prepareToAdd(child)
        }
        let change = linkChildren(newChildren)
        link()
        finish(change)
    }

    private func finish(_ change: ChildrenChange) {
        finishMoves(of: change)
        for child in change.removedChildren where child.loadedView !== shownChildView {
            removeView(ofFormer: child)
        }
        childrenDidChange()
        for child in change.removedChildren where child.parent === self && child.isLeavingParent {
            removeView(ofFormer: child)
            child.parentLink.object = nil
            child.didMove(toParent: nil)
        }
        for child in change.addedChildren where hasChild(child) {
            child.didMove(toParent: self)
        }
    }

    /// Returns whether a controller is one of the children.
    func hasChild(_ child: ViewController) -> Bool {
        child.parent === self && !child.isLeavingParent
    }

    private func removeView(ofFormer child: ViewController) {
        guard let view = child.loadedView, view.superview?.viewController === self,
            !hasChild(child)
        else { return }
        view.removeFromSuperview()
    }

    /// Removes a future child from its current container, presenter or window, and calls its ``willMove(toParent:)``.
    func prepareToAdd(_ child: ViewController) {
        preconditionCanContain(child)
        child.detachFromContainer()
        child.willMove(toParent: self)
    }

    private func preconditionCanContain(_ child: ViewController) {
        precondition(
            child.canBeContained(in: self),
            "\(type(of: self)) cannot contain \(type(of: child)), which contains it or is the same controller"
        )
    }

    /// Makes the given controllers the only children, without notifying other objects.
    ///
    /// Each added controller is first unlinked from its current container, presenter or window.
    func linkChildren(_ newChildren: [ViewController]) -> ChildrenChange {
        let existingIdentities = Set(children.map(ObjectIdentifier.init))
        let stayingIdentities = Set(newChildren.map(ObjectIdentifier.init))
        var change = ChildrenChange()
        change.removedChildren = children.filter {
            !stayingIdentities.contains(ObjectIdentifier($0))
        }
        change.addedChildren = newChildren.filter {
            !existingIdentities.contains(ObjectIdentifier($0))
        }
        for child in change.addedChildren {
            preconditionCanContain(child)
            change.departureNotifications.append(child.detachWithoutNotifying())
        }
        children = newChildren
        for child in change.removedChildren { child.isLeavingParent = true }
        for child in change.addedChildren {
            child.parentLink.object = self
            child.isLeavingParent = false
        }
        restoration.invalidateStructure()
        return change
    }

    /// Notifies the new children's former containers and presenters.
    ///
    /// This method also starts the new children's tasks. Afterwards, the outermost container presents the controllers
    /// that the new children presented.
    func finishMoves(of change: ChildrenChange) {
        for notify in change.departureNotifications { notify() }
        for child in change.addedChildren where child.parent === self {
            child.reparentPresentedController()
            child.startTasksIfAttached()
        }
    }

    /// Removes the controller from its container, its presenter, or the window whose root it is.
    func detachFromContainer() {
        removeFromParent()
        presenter?.detachPresentedController()
        rootWindow?.rootViewController = nil
    }

    /// Removes the controller like ``detachFromContainer()``, but does not notify other objects yet.
    ///
    /// - Returns: A closure that notifies the former container and the controllers that appeared or disappeared.
    func detachWithoutNotifying() -> () -> Void {
        guard parent != nil || presenter != nil || rootWindow != nil else { return {} }
        let (parent, presenter, affectedController) = (
            parent, presenter, frontmostPresentedController
        )
        parent?.children.removeAll { $0 === self }
        parent?.restoration.invalidateStructure()
        parentLink.object = nil
        presenter?.unlinkPresentedController()
        rootWindow?.detachRoot()
        return {
            parent?.childrenDidChange()
            AppearanceTransition.run(affecting: [
                affectedController.loadedView, presenter?.loadedView,
            ]) {}
        }
    }

    /// Adds a controller as the last child, after removing it from its current container, presenter or window.
    ///
    /// The caller adds the child's view and then calls ``didMove(toParent:)`` on the child. Adding this controller
    /// itself, or a controller that contains or presents it, is a programming error and traps.
    public func addChild(_ child: ViewController) {
        insertChild(child, at: .max)
    }

    /// Inserts a controller as a child, like ``addChild(_:)``.
    ///
    /// - Parameters:
    ///   - child: The controller to insert.
    ///   - index: The index among the children. If it is too large, the controller is added as the last child.
    public func insertChild(_ child: ViewController, at index: Int) {
        if !hasChild(child) { prepareToAdd(child) }
        var newChildren = children.filter { $0 !== child }
        newChildren.insert(child, at: min(max(index, 0), newChildren.count))
        let change = linkChildren(newChildren)
        finishMoves(of: change)
        childrenDidChange()
    }

    /// Replaces a child with another controller and removes the child's view from this controller's view.
    ///
    /// The caller adds the new controller's view. A container calls this method while it decodes its state, to replace
    /// an initial child with the controller that the launch has recreated (R9).
    ///
    /// - Parameters:
    ///   - child: One of ``children``.
    ///   - other: The new child. It leaves its current container or presenter. If it is `child` itself, nothing
    ///     changes.
    /// - Returns: `true` if `other` has replaced `child` or is the same controller. `false` if `child` is not a child
    ///   of this controller, or if `other` is a window's root view controller, this controller, or a controller that
    ///   contains or presents this controller.
    public func replaceChild(_ child: ViewController, with other: ViewController) -> Bool {
        guard hasChild(child), other.canBeLinked(to: self) else { return false }
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
    public var navigationController: NavigationController? { nearestContainer() }

    /// The nearest tab bar controller that contains this controller, or `nil` if there is none.
    public var tabBarController: TabBarController? { nearestContainer() }

    /// The nearest split view controller that contains this controller, or `nil` if there is none.
    public var splitViewController: SplitViewController? { nearestContainer() }

    private func nearestContainer<Container>() -> Container? {
        parent as? Container ?? parent?.nearestContainer()
    }

    /// The outermost container of the controller, or the controller itself if it has no container.
    var outermostContainer: ViewController {
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        return outermost
    }

    /// Returns whether another controller can contain or present this controller without creating a cycle.
    func canBeContained(in container: ViewController) -> Bool {
        let ancestors = sequence(first: container) { $0.parent ?? $0.presenter }
        if ancestors.contains(where: { $0 === self }) { return false }
        guard let loadedView, let containerView = container.loadedView else { return true }
        return !containerView.isDescendant(of: loadedView)
    }

    /// Returns whether a container that is decoding its state can link this controller as a child or present it.
    ///
    /// A damaged archive can contain references to controllers that cannot be linked. Such references are skipped.
    func canBeLinked(to container: ViewController) -> Bool {
        rootWindow == nil && canBeContained(in: container)
    }

    /// Returns the children together with the saved children that the launch has recreated.
    ///
    /// Each recreated child is placed after the child that preceded it when the state was saved (R9).
    func mergedChildren(with savedChildren: [ViewController?]) -> [ViewController] {
        var seenIdentities = Set(children.map(ObjectIdentifier.init))
        let existingIdentities = seenIdentities
        var followers: [ObjectIdentifier?: [ViewController]] = [:]
        var predecessor: ObjectIdentifier?
        for case let controller? in savedChildren {
            let identity = ObjectIdentifier(controller)
            if existingIdentities.contains(identity) {
                predecessor = identity
            } else if seenIdentities.insert(identity).inserted, controller.canBeLinked(to: self) {
                followers[predecessor, default: []].append(controller)
            }
        }
        return (followers[nil] ?? [])
            + children.flatMap { [$0] + (followers[ObjectIdentifier($0)] ?? []) }
    }

    /// Shows the container's ``childToShow`` and removes the view of the previously shown child.
    ///
    /// This method is for containers that show one child at a time.
    func updateShownChild() {
        guard let loadedView else { return }
        let nextView = loadedViewToShow
        if nextView === shownChildView, nextView == nil || nextView?.superview === loadedView {
            return
        }
        let isOnScreen = loadedView.isOnScreen
        let previousView = shownChildView.flatMap { $0.superview === loadedView ? $0 : nil }
        AppearanceTransition.run(
            leaving: isOnScreen ? previousView : nil, entering: isOnScreen ? nextView : nil
        ) {
            // An appearance method can select another child.
            let nextView = loadedViewToShow
            if let shownView = shownChildView, shownView !== nextView,
                shownView.superview === loadedView
            {
                shownView.removeFromSuperview()
            }
            shownChildView = nextView
            if let nextView, nextView.superview !== loadedView { loadedView.addSubview(nextView) }
        }
    }

    /// The loaded view of the child to show.
    ///
    /// Loading a view can change the child to show. The new child's view is then loaded instead.
    private var loadedViewToShow: View? {
        while let child = childToShow {
            let view = child.view
            if childToShow === child { return view }
        }
        return nil
    }
}
