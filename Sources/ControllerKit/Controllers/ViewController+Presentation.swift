import StateRestoration

extension ViewController {
    /// Presents a controller, after removing it from its current container or presenter.
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
        if let presentedController = presenter.presentedController {
            return presentedController === controller
        }
        controller.detachFromContainer()
        controller.loadedView?.removeFromSuperview()
        // Methods that are called during the move can change the tree.
        guard presenter.canPresent(controller) else {
            return presenter.presentedController === controller
        }
        let coveredView = presenter.isFrontmost ? presenter.loadedView : nil
        presenter.link(presentedController: controller)
        controller.loadViewIfNeeded()
        let frontController = controller.frontmostPresented
        AppearanceTransition.run(
            leaving: presenter.presentedController == nil ? nil : coveredView,
            entering: frontController.isFrontmost ? frontController.loadedView : nil
        ) {}
        controller.startTasksIfAttached()
        return presenter.presentedController === controller
    }

    private func canPresent(_ controller: ViewController) -> Bool {
        presentedController == nil && parent == nil && controller.parent == nil
            && controller.presenter == nil && controller.rootWindow == nil
            && controller.canBeContained(in: self)
    }

    /// Dismisses the controller that this controller or its outermost container presents, and all controllers presented
    /// above that controller.
    ///
    /// If neither of them presents a controller, this controller is dismissed together with its containers.
    public func dismiss() {
        let outermost = outermostContainer
        if outermost.presentedController != nil {
            outermost.dismissPresented()
        } else {
            outermost.presenter?.dismissPresented()
        }
    }

    /// The controller that this controller or its outermost container presents, or `nil` if there is none.
    public var presentedViewController: ViewController? { outermostContainer.presentedController }

    /// The controller that presents this controller or its outermost container, or `nil` if there is none.
    public var presentingViewController: ViewController? { outermostContainer.presenter }

    /// The first controller, among this controller and its descendants, that requires the user to confirm its
    /// dismissal, or `nil` if there is none.
    package var controllerWithUnsavedChanges: ViewController? {
        if isModalInPresentation { return self }
        return children.lazy.compactMap(\.controllerWithUnsavedChanges).first
    }

    /// This controller, its descendants, and the controllers that they present, parents first.
    package var controllersInTree: [ViewController] {
        [self] + children.flatMap(\.controllersInTree)
            + (presentedController?.controllersInTree ?? [])
    }

    /// The last controller in the chain of presented controllers, or this controller if it presents none.
    var frontmostPresented: ViewController {
        var frontController = self
        while let presentedController = frontController.presentedController {
            frontController = presentedController
        }
        return frontController
    }

    /// Whether the controller's view is the entire content of a window.
    var isFrontmost: Bool {
        guard presentedController == nil, parent == nil, !isLoadingView else { return false }
        var bottomController = self
        while let presenter = bottomController.presenter { bottomController = presenter }
        return bottomController.rootWindow?.isShowing ?? false
    }

    /// Presents the controller that was presented when the state was saved, after dismissing any other presented
    /// controller.
    ///
    /// If the controller cannot be presented, nothing changes.
    func restorePresented(_ controller: ViewController) {
        let presenter = outermostContainer
        guard presenter.presentedController !== controller, controller.canBeLinked(to: presenter)
        else {
            return
        }
        if presenter.presentedController != nil { presenter.dismissPresented() }
        presenter.present(controller)
    }

    private func dismissPresented() {
        guard let presentedController else { return }
        unlink(frontController: presentedController.frontmostPresented) {
            var currentController: ViewController? = self
            while let presenter = currentController,
                let presentedController = presenter.presentedController
            {
                presenter.unlinkPresented()
                currentController = presentedController
            }
        }
    }

    /// Dismisses the presented controller.
    ///
    /// Controllers that are presented above it stay linked to it.
    func detachPresented() {
        guard let presentedController else { return }
        unlink(frontController: presentedController.frontmostPresented) { unlinkPresented() }
    }

    /// Moves the controller that this new child presents to the outermost container, above any controllers that the
    /// container already presents (I4).
    func reparentPresented() {
        guard let presentedController else { return }
        let frontController = outermostContainer.frontmostPresented
        AppearanceTransition.run(
            affecting: [
                presentedController.frontmostPresented.loadedView, frontController.loadedView,
            ]
        ) {
            unlinkPresented()
            frontController.link(presentedController: presentedController)
        }
        // The presented controller is no longer below this controller, so it must start its tasks itself.
        presentedController.startTasksIfAttached()
    }

    private func unlink(frontController: ViewController, _ change: () -> Void) {
        let isFront = frontController.isFrontmost
        AppearanceTransition.run(
            leaving: isFront ? frontController.loadedView : nil,
            entering: isFront ? loadedView : nil, change)
    }

    private func link(presentedController controller: ViewController) {
        presentedController = controller
        controller.presenter = self
        presentedDidChange()
    }

    /// Unlinks the presented controller without notifying other objects.
    func unlinkPresented() {
        presentedController?.presenter = nil
        presentedController = nil
        presentedDidChange()
    }

    private func presentedDidChange() {
        restoration.invalidateStructure()
        invalidateRestorableState()
    }
}
