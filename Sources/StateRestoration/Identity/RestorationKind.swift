/// What sort of object a record belongs to (P13). Its number is stored.
public enum RestorationKind: UInt8, Sendable {
    /// A scene: the root of its objects, whose values are the application-level ones (P2).
    case scene = 0
    /// A view controller (P5).
    case viewController = 1
    /// A view (P11).
    case view = 2
    /// An object that was registered for restoration (P12).
    case object = 3
}
