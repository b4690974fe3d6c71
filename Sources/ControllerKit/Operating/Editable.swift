/// What has an edit mode: a table, a controller.
public protocol Editable: AnyObject {
    /// Whether the edit mode is on.
    var isEditing: Bool { get }

    /// A person turns the edit mode on or off.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be edited.
    func changeEditing(_ isOn: Bool) throws(OperationError)
}
