/// What a person enlarges: a scroll view, a picture.
public protocol Zoomable: AnyObject {
    /// A person zooms. Beyond the limits it goes as far as they reach.
    ///
    /// - Parameter scale: 1 is the natural size; finite and above 0.
    /// - Throws: ``OperationError/notPossible(_:)`` if it cannot be zoomed.
    func zoom(to scale: Double) throws(OperationError)
}
