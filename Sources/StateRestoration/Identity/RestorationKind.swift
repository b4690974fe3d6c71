/// Kind of the object to which a record belongs (P13). The raw value is stored in the record.
public enum RestorationKind: UInt8, Sendable {
    /// A scene, which is the root of its objects. Its values are the application-level values (P2).
    case scene = 0
    /// A view controller (P5).
    case viewController = 1
    /// A view (P11).
    case view = 2
    /// An object that is registered for restoration (P12).
    case object = 3
}
