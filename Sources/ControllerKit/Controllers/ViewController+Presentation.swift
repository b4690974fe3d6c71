import StateRestoration

extension ViewController {
    /// Presents a controller, after removing it from its current container or presenter.
    ///
    /// The presenter is this controller's outermost container, or this controller if it has no container (I4).
    /// Presenting a window's root, the presenter itself, or a controller that contains or presents the presenter is a
    /// programming error and traps.
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
        let frontController = controller.frontmostPresentedController
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

    /// Dismisses the controller presented by this controller or its outermost container, and all controllers presented
    /// above that controller.
    ///
    /// If neither of them presents a controller, this controller is dismissed together with its containers.
    public func dismiss() {
        let outermost = outermostContainer
        if outermost.presentedController != nil {
            outermost.dismissPresentedController()
        } else {
            outermost.presenter?.dismissPresentedController()
        }
    }

    /// The controller presented by this controller or its outermost container, or `nil` if there is none.
    public var presentedViewController: ViewController? { outermostContainer.presentedController }

    /// The controller that presents this controller or its outermost container, or `nil` if there is none.
    public var presentingViewController: ViewController? { outermostContainer.presenter }

    /// The first controller, among this controller and its descendants, whose dismissal the user must confirm, or `nil`
    /// if there is none.
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
    var frontmostPresentedController: ViewController {
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

    /// Presents a restored controller that was presented when the state was saved.
    ///
    /// Any other presented controller is dismissed first.
    ///
    /// If the controller cannot be presented, nothing changes.
    func restorePresentedController(_ controller: ViewController) {
        let presenter = outermostContainer
        guard presenter.presentedController !== controller, controller.canBeLinked(to: presenter)
        else {
            return
        }
        if presenter.presentedController != nil { presenter.dismissPresentedController() }
        presenter.present(controller)
    }

    private func dismissPresentedController() {
        guard let presentedController else { return }
        unlink(frontController: presentedController.frontmostPresentedController) {
            var currentController: ViewController? = self
            while let presenter = currentController,
                let presentedController = presenter.presentedController
            {
                presenter.unlinkPresentedController()
                currentController = presentedController
            }
        }
    }

    /// Dismisses the presented controller.
    ///
    /// Controllers that are presented above the dismissed controller stay linked to it.
    func detachPresentedController() {
        guard let presentedController else { return }
        unlink(frontController: presentedController.frontmostPresentedController) {
            unlinkPresentedController()
        }
    }

    /// Makes the outermost container present the controller that this new child presents (I4).
    ///
    /// The controller appears above any controllers that the container already presents.
    func reparentPresentedController() {
        guard let presentedController else { return }
        let frontController = outermostContainer.frontmostPresentedController
        AppearanceTransition.run(
            affecting: [
                presentedController.frontmostPresentedController.loadedView,
                frontController.loadedView,
            ]
        ) {
            unlinkPresentedController()
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
        presentedControllerDidChange()
    }

    /// Unlinks the presented controller without notifying other objects.
    func unlinkPresentedController() {
        presentedController?.presenter = nil
        presentedController = nil
        presentedControllerDidChange()
    }

    private func presentedControllerDidChange() {
        restoration.invalidateStructure()
        invalidateRestorableState()
    }
}
