import StateRestoration

extension ViewController {
    /// Presents a controller after removing it from its current container or presenter.
    ///
    /// The presenter is this controller's outermost container, or this controller if it has no container (I4).
    /// Presenting a window's root, the presenter itself, or a controller that contains or presents it, is a programming
    /// error and traps.
    ///
    /// - Returns: `false` if nothing changed because the presenter already presents another controller.
    @discardableResult
    public func present(_ controller: ViewController) -> Bool {
        let presenter = outermostContainer
        precondition(
            controller.rootWindow == nil && controller.canBeContained(in: presenter),
            "\(type(of: presenter)) cannot present \(type(of: controller)), which contains it, is the same "
                + "controller, or is the root of a window")
        if let presented = presenter.presented { return presented === controller }
        controller.detachFromContainer()
        controller.loadedView?.removeFromSuperview()
        // A controller that is notified of the move can change the tree.
        guard presenter.canPresent(controller) else { return presenter.presented === controller }
        let covered = presenter.isFrontmost ? presenter.loadedView : nil
        presenter.link(presented: controller)
        controller.loadViewIfNeeded()
        let front = controller.frontmostPresented
        AppearanceTransition.run(
            leaving: presenter.presented == nil ? nil : covered,
            entering: front.isFrontmost ? front.loadedView : nil
        ) {}
        controller.startTasksIfAttached()
        return presenter.presented === controller
    }

    private func canPresent(_ controller: ViewController) -> Bool {
        presented == nil && parent == nil && controller.parent == nil
            && controller.presenter == nil && controller.rootWindow == nil
            && controller.canBeContained(in: self)
    }

    /// Dismisses the controller that this controller or its outermost container presents, and all controllers presented
    /// above that controller.
    ///
    /// If neither of them presents a controller, this controller is dismissed together with its containers.
    public func dismiss() {
        let outermost = outermostContainer
        if outermost.presented != nil {
            outermost.dismissPresented()
        } else {
            outermost.presenter?.dismissPresented()
        }
    }

    /// The controller that this controller or its outermost container presents, or `nil` if there is none.
    public var presentedViewController: ViewController? { outermostContainer.presented }

    /// The controller that presents this controller or its outermost container, or `nil` if there is none.
    public var presentingViewController: ViewController? { outermostContainer.presenter }

    /// The first controller, among this controller and its descendants, that requires the user to confirm its
    /// dismissal, or `nil` if there is none.
    package var controllerModalInPresentation: ViewController? {
        if isModalInPresentation { return self }
        return children.lazy.compactMap(\.controllerModalInPresentation).first
    }

    /// This controller, its descendants, and the controllers that they present, parents first.
    package var controllersInTree: [ViewController] {
        [self] + children.flatMap(\.controllersInTree) + (presented?.controllersInTree ?? [])
    }

    /// The last controller in the chain of presented controllers, or this controller if it presents none.
    var frontmostPresented: ViewController {
        var front = self
        while let presented = front.presented { front = presented }
        return front
    }

    /// Whether the controller's view is the entire content of a window.
    var isFrontmost: Bool {
        guard presented == nil, parent == nil, !isLoadingView else { return false }
        var bottom = self
        while let presenter = bottom.presenter { bottom = presenter }
        return bottom.rootWindow?.isShowing ?? false
    }

    /// Presents a controller that was presented when the state was saved, after dismissing any other presented
    /// controller.
    ///
    /// If the controller cannot be presented, nothing changes.
    func restorePresented(_ controller: ViewController) {
        let presenter = outermostContainer
        guard presenter.presented !== controller, controller.canBeLinked(to: presenter) else {
            return
        }
        if presenter.presented != nil { presenter.dismissPresented() }
        presenter.present(controller)
    }

    private func dismissPresented() {
        guard let presented else { return }
        unlink(front: presented.frontmostPresented) {
            var current: ViewController? = self
            while let presenter = current, let presented = presenter.presented {
                presenter.unlinkPresented()
                current = presented
            }
        }
    }

    /// Dismisses the presented controller.
    ///
    /// Controllers that are presented above it stay linked to it.
    func detachPresented() {
        guard let presented else { return }
        unlink(front: presented.frontmostPresented) { unlinkPresented() }
    }

    /// Moves this new child's presented controller to the outermost container, above any controllers that the container
    /// already presents (I4).
    func reparentPresented() {
        guard let presented else { return }
        let front = outermostContainer.frontmostPresented
        AppearanceTransition.run(
            affecting: [presented.frontmostPresented.loadedView, front.loadedView]
        ) {
            unlinkPresented()
            front.link(presented: presented)
        }
    }

    private func unlink(front: ViewController, _ change: () -> Void) {
        let isFront = front.isFrontmost
        AppearanceTransition.run(
            leaving: isFront ? front.loadedView : nil, entering: isFront ? loadedView : nil, change)
    }

    private func link(presented controller: ViewController) {
        presented = controller
        controller.presenter = self
        presentedDidChange()
    }

    /// Unlinks the presented controller without notifying any object.
    func unlinkPresented() {
        presented?.presenter = nil
        presented = nil
        presentedDidChange()
    }

    private func presentedDidChange() {
        restoration.invalidateStructure()
        invalidateRestorableState()
    }
}
