/// Whether a controller is on the screen, as far as it was told.
struct Appearance: Equatable {
    static let hidden = Appearance()
    static let shown = Appearance(isShown: true)

    var isShown = false
    /// Whether it was told that this will be so, and not yet that it is.
    var isChanging = false
}

/// A change of what a window shows. The controllers that come onto the screen or leave it are told,
/// each once: before the change that they will, after it that they did.
///
/// A controller is on the screen if its view lies in that of the window's frontmost controller.
enum AppearanceTransition {
    /// Makes a change, and tells of it. A controller that both leaves and comes is told nothing.
    ///
    /// - Parameters:
    ///   - leaving: a view on the screen that will not be there; nil: none.
    ///   - entering: a view that will be on the screen and is not; nil: none.
    static func run(leaving: View?, entering: View?, _ change: () -> Void) {
        let gone = leaving?.controllersInside ?? []
        let coming = entering?.controllersInside ?? []
        let staying = Set(gone.map(ObjectIdentifier.init))
            .intersection(coming.map(ObjectIdentifier.init))
        func stays(_ controller: ViewController) -> Bool {
            staying.contains(ObjectIdentifier(controller))
        }
        for controller in gone where !stays(controller) { controller.begin(appearing: false) }
        for controller in coming where !stays(controller) { controller.begin(appearing: true) }
        change()
        // A controller that was told may have changed more: what is there now counts.
        tellAppearance(
            of:
                gone + coming + (leaving?.controllersInside ?? [])
                + (entering?.controllersInside ?? []))
    }

    /// Makes a change that may bring views onto the screen or take them from it.
    static func run(touching views: [View?], _ change: () -> Void) {
        let before = views.flatMap { $0?.controllersInside ?? [] }
        change()
        tellAppearance(of: before + views.flatMap { $0?.controllersInside ?? [] })
    }

    private static func tellAppearance(of controllers: [ViewController]) {
        for controller in controllers { controller.begin(appearing: controller.isOnScreen) }
        for controller in controllers { controller.end(appearing: controller.isOnScreen) }
    }
}

extension ViewController {
    /// Whether the controller's view is on the screen: a person sees it.
    package var isOnScreen: Bool { loadedView?.isOnScreen ?? false }

    fileprivate func begin(appearing: Bool) {
        guard appearance.isShown != appearing else { return }
        appearance = Appearance(isShown: appearing, isChanging: true)
        if appearing { viewWillAppear() } else { viewWillDisappear() }
    }

    fileprivate func end(appearing: Bool) {
        guard appearance == Appearance(isShown: appearing, isChanging: true) else { return }
        appearance.isChanging = false
        if appearing { viewDidAppear() } else { viewDidDisappear() }
    }
}

extension View {
    /// Whether the view is on the screen.
    var isOnScreen: Bool {
        var top = self
        while let superview = top.superview { top = superview }
        return top.owner?.isFrontmost ?? false
    }

    /// Whether the view is another, or lies in it.
    func lies(in other: View) -> Bool {
        sequence(first: self, next: \.superview).contains { $0 === other }
    }

    /// The controllers whose views lie here, the outer before the inner ones.
    var controllersInside: [ViewController] {
        var controllers: [ViewController] = []
        var waiting = [self]
        while let view = waiting.popLast() {
            if let owner = view.owner, owner.loadedView === view { controllers.append(owner) }
            waiting += view.subviews.reversed()
        }
        return controllers
    }
}
