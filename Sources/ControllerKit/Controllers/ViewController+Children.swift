import StateRestoration

/// What an exchange of a container's children has to tell, once they are linked.
struct ChildrenExchange {
    /// Those that are children no more. The container is their parent until its views are exchanged.
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
        settle(exchange)
    }

    private func settle(_ exchange: ChildrenExchange) {
        tellHolders(of: exchange)
        for child in exchange.removed where child.loadedView !== shownChildView {
            removeView(ofFormer: child)
        }
        childrenDidChange()
        for child in exchange.removed where child.parent === self && !isHolding(child) {
            removeView(ofFormer: child)
            child.parent = nil
            child.didMove(toParent: nil)
        }
        for child in exchange.added where child.parent === self && isHolding(child) {
            child.didMove(toParent: self)
        }
    }

    private func isHolding(_ child: ViewController) -> Bool {
        children.contains { $0 === child }
    }

    private func removeView(ofFormer child: ViewController) {
        guard let view = child.loadedView, view.superview === loadedView, !isHolding(child) else {
            return
        }
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
        for child in exchange.added { child.parent = self }
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

    /// Comes out of the container, from above what presents it, or from a window's root, to stand
    /// elsewhere.
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
}
