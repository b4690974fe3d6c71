import StateRestoration

/// The controllers to be told of an exchange of a container's children, once they are linked.
struct ChildrenExchange {
    /// Those that are children no more. The container is their parent until its views are
    /// exchanged.
    var removed: [ViewController] = []
    /// Those that are new.
    var added: [ViewController] = []
    /// Tell what the new ones were taken out of at the last moment.
    var tellLeft: [() -> Void] = []
}

extension ViewController {
    /// Replaces the children, each of which comes out of where it was. Whoever is told that it will
    /// move may change the tree; who is told later finds it linked.
    ///
    /// - Parameters:
    ///   - controllers: the children from now on; one that is named twice stands where it is named
    ///     last.
    ///   - link: what changes in the container together with its children; tells nobody.
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
        tellHolders(of: exchange)
        for child in exchange.removed where child.loadedView !== shownChildView {
            removeView(ofFormer: child)
        }
        childrenDidChange()
        for child in exchange.removed where child.parent === self && child.isLeavingParent {
            removeView(ofFormer: child)
            child.parent = nil
            child.isLeavingParent = false
            child.didMove(toParent: nil)
        }
        for child in exchange.added where isHolding(child) {
            child.didMove(toParent: self)
        }
    }

    /// Whether a controller is one of the children.
    func isHolding(_ child: ViewController) -> Bool {
        child.parent === self && !child.isLeavingParent
    }

    private func removeView(ofFormer child: ViewController) {
        guard let view = child.loadedView, view.superview?.viewController === self,
            !isHolding(child)
        else { return }
        view.removeFromSuperview()
    }

    /// Takes a controller that is about to come to lie here out of where it was, and tells it.
    func letCome(_ child: ViewController) {
        requireCanLie(child)
        child.leaveHolder()
        child.willMove(toParent: self)
    }

    private func requireCanLie(_ child: ViewController) {
        precondition(
            child.canLie(in: self),
            "\(type(of: self)) cannot hold \(type(of: child)), which holds it or is it")
    }

    /// Links these and no other children, wherever they are by now, and tells nobody.
    func linkChildren(_ wanted: [ViewController]) -> ChildrenExchange {
        let existing = Set(children.map(ObjectIdentifier.init))
        let staying = Set(wanted.map(ObjectIdentifier.init))
        var exchange = ChildrenExchange()
        exchange.removed = children.filter { !staying.contains(ObjectIdentifier($0)) }
        exchange.added = wanted.filter { !existing.contains(ObjectIdentifier($0)) }
        for child in exchange.added {
            requireCanLie(child)
            exchange.tellLeft.append(child.slipOut())
        }
        children = wanted
        for child in exchange.removed { child.isLeavingParent = true }
        for child in exchange.added {
            child.parent = self
            child.isLeavingParent = false
        }
        restoration.invalidateStructure()
        return exchange
    }

    /// Tells what the new children were taken out of, and hands over what they present and run.
    func tellHolders(of exchange: ChildrenExchange) {
        for tell in exchange.tellLeft { tell() }
        for child in exchange.added where child.parent === self {
            child.handOverPresented()
            child.startTasksIfAttached()
        }
    }

    /// Leaves its container, its presenter, or the window's root, to stand elsewhere.
    func leaveHolder() {
        removeFromParent()
        presenter?.letPresentedGo()
        rootWindow?.rootViewController = nil
    }

    /// Comes out of where it stands, and tells nobody yet.
    ///
    /// - Returns: tells those that it left, and the controllers that thereby came or went.
    func slipOut() -> () -> Void {
        guard parent != nil || presenter != nil || rootWindow != nil else { return {} }
        let (parent, presenter, touched) = (parent, presenter, frontmostPresented)
        parent?.children.removeAll { $0 === self }
        parent?.restoration.invalidateStructure()
        self.parent = nil
        presenter?.unlinkPresented()
        rootWindow?.forgetRoot()
        return {
            parent?.childrenDidChange()
            AppearanceTransition.run(touching: [touched.loadedView, presenter?.loadedView]) {}
        }
    }

    /// Takes a controller in as the last child, out of where it was: another container, above what
    /// presents it, or a window's root. Its view is the caller's to place, and then to tell with
    /// ``didMove(toParent:)``.
    ///
    /// A controller that holds this one, or is this one, is a programming error and traps.
    public func addChild(_ child: ViewController) {
        insertChild(child, at: .max)
    }

    /// Takes a controller in as a child, like ``addChild(_:)``.
    ///
    /// - Parameters:
    ///   - child: the controller.
    ///   - index: its place among the children; beyond them it is the last.
    public func insertChild(_ child: ViewController, at index: Int) {
        if !isHolding(child) { letCome(child) }
        var wanted = children.filter { $0 !== child }
        wanted.insert(child, at: min(max(index, 0), wanted.count))
        let exchange = linkChildren(wanted)
        tellHolders(of: exchange)
        childrenDidChange()
    }

    /// Replaces a child with another controller, and removes the child's view from this controller's view.
    ///
    /// The caller adds the new controller's view. A container calls this method when it decodes its children: the launch may
    /// have made a new controller instead of the child that the container started with (R9).
    ///
    /// - Parameters:
    ///   - child: One of ``children``.
    ///   - other: The new child. It leaves its current container or presenter. If it is `child` itself, nothing changes.
    /// - Returns: `false` if nothing was replaced, because `child` is not a child of this controller, or because `other`
    ///   is a window's root view controller, this controller, or one of its containers.
    public func replaceChild(_ child: ViewController, with other: ViewController) -> Bool {
        guard isHolding(child), other.canBeLinked(to: self) else { return false }
        if child === other { return true }
        replaceChildren(with: children.map { $0 === child ? other : $0 })
        return true
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

    /// Whether the controller can lie in another, or be presented by it, without a circle.
    func canLie(in holder: ViewController) -> Bool {
        let holders = sequence(first: holder) { $0.parent ?? $0.presenter }
        if holders.contains(where: { $0 === self }) { return false }
        guard let loadedView, let place = holder.loadedView else { return true }
        return !place.lies(in: loadedView)
    }

    /// Whether a container that decodes can link the controller as its child, or present it. What
    /// an archive says may be nonsense: it is skipped then.
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

    /// Shows the child that is to be shown and no other, of containers that show one at a time.
    func updateShownChild() {
        guard let loadedView else { return }
        let next = loadedViewToShow
        if next === shownChildView, next == nil || next?.superview === loadedView { return }
        let isOnScreen = loadedView.isOnScreen
        let last = shownChildView.flatMap { $0.superview === loadedView ? $0 : nil }
        AppearanceTransition.run(
            leaving: isOnScreen ? last : nil, entering: isOnScreen ? next : nil
        ) {
            // A controller that is told that it leaves or comes may show another.
            let next = loadedViewToShow
            if let shown = shownChildView, shown !== next, shown.superview === loadedView {
                shown.removeFromSuperview()
            }
            shownChildView = next
            if let next, next.superview !== loadedView { loadedView.addSubview(next) }
        }
    }

    /// The view of the child that is to be shown. Loading it may have another shown.
    private var loadedViewToShow: View? {
        while let child = childToShow {
            let view = child.view
            if childToShow === child { return view }
        }
        return nil
    }
}
