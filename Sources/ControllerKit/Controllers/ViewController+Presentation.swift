import StateRestoration

extension ViewController {
    /// Presents a controller after removing it from its current container or presenter.
    ///
    /// The presenter is the outermost container of this controller (I4). Presenting a window's root, or a controller
    /// that holds the presenter, is a programming error and traps.
    ///
    /// - Returns: `false` if nothing changed because the presenter already presents another controller.
    @discardableResult
    public func present(_ controller: ViewController) -> Bool {
        let presenter = outermostContainer
        precondition(
            controller.rootWindow == nil && controller.canLie(in: presenter),
            "\(type(of: presenter)) cannot present \(type(of: controller)), which contains it, is the same "
                + "controller, or is the root of a window")
        if let presented = presenter.presented { return presented === controller }
        controller.leaveHolder()
        controller.loadedView?.removeFromSuperview()
        // A controller that is notified of its move can change the tree.
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
            && controller.canLie(in: self)
    }

    /// Dismisses the controller that this controller or its outermost container presents, and all controllers above
    /// it.
    ///
    /// If neither of them presents a controller, the presenter of the outermost container dismisses it.
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

    /// The controller that requires the user to confirm its dismissal: this controller or one of its descendants,
    /// or `nil` if there is none.
    package var controllerModalInPresentation: ViewController? {
        if isModalInPresentation { return self }
        return children.lazy.compactMap(\.controllerModalInPresentation).first
    }

    /// This controller, its descendants, and the controllers that they present, parents first.
    package var heldControllers: [ViewController] {
        [self] + children.flatMap(\.heldControllers) + (presented?.heldControllers ?? [])
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

    /// Presents the controller that was presented when the state was saved, and dismisses any controller that the
    /// launch has presented.
    ///
    /// If the controller cannot be presented here, nothing changes.
    func presentAgain(_ controller: ViewController) {
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
    /// The controllers that it presents stay linked to it.
    func letPresentedGo() {
        guard let presented else { return }
        unlink(front: presented.frontmostPresented) { unlinkPresented() }
    }

    /// Moves the controller that a new child presents to the outermost container, above any controllers that the
    /// container already presents (I4).
    func handOverPresented() {
        guard let presented else { return }
        let front = outermostContainer.frontmostPresented
        AppearanceTransition.run(
            touching: [presented.frontmostPresented.loadedView, front.loadedView]
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
