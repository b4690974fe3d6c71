/// The bar button of a controller that turns its edit mode on and off. Its title says which comes
/// next.
final class EditButtonItem: BarButtonItem {
    private weak var controller: ViewController?

    convenience init(of controller: ViewController) {
        self.init()
        self.controller = controller
    }

    /// "Done" while the edit mode is on; it follows the mode and cannot be set.
    override var title: String {
        get { controller?.isEditing == true ? "Done" : "Edit" }
        set {}
    }

    override func tap() throws(OperationError) {
        try super.tap()
        guard let controller else { return }
        try controller.changeEditing(!controller.isEditing)
    }
}
