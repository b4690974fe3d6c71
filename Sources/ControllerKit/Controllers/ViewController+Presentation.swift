import StateRestoration

extension ViewController {
    /// Covers what is shown with a controller, which comes out of where it was. The presenter is
    /// the outermost container of this controller (I4).
    ///
    /// A controller that holds the presenter, or stands at a window's root, is a programming error
    /// and traps.
    ///
    /// - Returns: false, and nothing changed, if the presenter presents another one already.
    @discardableResult
    public func present(_ controller: ViewController) -> Bool {
        let presenter = outermostContainer
        precondition(
            controller.rootWindow == nil && controller.canLie(in: presenter),
            "\(type(of: presenter)) cannot present \(type(of: controller)), which holds it, is it, "
                + "or is a window's root")
        if let presented = presenter.presented { return presented === controller }
        controller.leaveHolder()
        controller.loadedView?.removeFromSuperview()
        // A controller that was told that it left may have changed the tree.
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

    /// Takes away what this controller or its outermost container presents, with all that is
    /// presented above that; if nothing is, takes this controller away from what presents it.
    public func dismiss() {
        let outermost = outermostContainer
        if outermost.presented != nil {
            outermost.dismissPresented()
        } else {
            outermost.presenter?.dismissPresented()
        }
    }

    /// What covers this controller: presented by it, or by its outermost container.
    public var presentedViewController: ViewController? { outermostContainer.presented }

    /// The controller that this one, or its outermost container, covers.
    public var presentingViewController: ViewController? { outermostContainer.presenter }

    /// The controller that has a person confirm that this one is left: this one, or one that it holds; `nil` if
    /// none has.
    package var controllerModalInPresentation: ViewController? {
        if isModalInPresentation { return self }
        return children.lazy.compactMap(\.controllerModalInPresentation).first
    }

    /// This controller, those that it holds and those that they present, parents first.
    package var heldControllers: [ViewController] {
        [self] + children.flatMap(\.heldControllers) + (presented?.heldControllers ?? [])
    }

    /// The last of what is presented by this one, by that, and so on; this one if nothing is.
    var frontmostPresented: ViewController {
        var front = self
        while let presented = front.presented { front = presented }
        return front
    }

    /// Whether the controller's view is the whole of what a window shows.
    var isFrontmost: Bool {
        guard presented == nil, parent == nil, !isLoadingView else { return false }
        var bottom = self
        while let presenter = bottom.presenter { bottom = presenter }
        return bottom.rootWindow?.isShowing ?? false
    }

    /// Presents what was presented when the state was saved, instead of what the launch may have
    /// presented. What cannot be presented here is left where it is.
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

    /// Lets what is presented go, with what it presents.
    func letPresentedGo() {
        guard let presented else { return }
        unlink(front: presented.frontmostPresented) { unlinkPresented() }
    }

    /// A controller that a new child presents is presented by the outermost container from now on,
    /// above what that presents (I4).
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

    /// Unlinks the presented controller, and tells nobody.
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
