extension Window {
    /// Goes back in the innermost visible navigation controller that can go back, on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if no navigation controller can go back.
    public func goBack() throws(OperationError) {
        guard let stack = stackToGoBack else {
            throw .notPossible("no navigation controller is shown")
        }
        try stack.goBack()
    }

    /// The controller that ``goBack()`` pops, or `nil` if there is nothing to go back to.
    package var controllerToPop: ViewController? {
        stackToGoBack?.controllerToPop
    }

    /// The innermost visible navigation controller that can go back.
    ///
    /// If no visible navigation controller can go back, the value is the innermost visible navigation controller, or
    /// `nil` if there is none.
    private var stackToGoBack: NavigationController? {
        let shownControllers = topViewController?.loadedView?.controllersInHierarchy ?? []
        let stacks = shownControllers.compactMap { $0 as? NavigationController }
        return stacks.last { $0.viewControllers.count > 1 } ?? stacks.last
    }
}
