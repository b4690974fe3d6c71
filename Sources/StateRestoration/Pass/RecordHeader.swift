/// The part of an object's record beside its values (P13). Names are given by number, 0 being none.
package struct RecordHeader: Sendable, Hashable {
    package var number: RecordNumber
    package var parent: RecordNumber
    package var kind: RestorationKind
    package var identifier: RestorationIdentifier
    package var classToken: UInt32
    package var restorationClassToken: UInt32
    package var storyboard: UInt32
    package var storyboardIdentifier: UInt32

    package init(
        number: RecordNumber, parent: RecordNumber, kind: RestorationKind,
        identifier: RestorationIdentifier, classToken: UInt32, restorationClassToken: UInt32 = 0,
        storyboard: UInt32 = 0, storyboardIdentifier: UInt32 = 0
    ) {
        self.number = number
        self.parent = parent
        self.kind = kind
        self.identifier = identifier
        self.classToken = classToken
        self.restorationClassToken = restorationClassToken
        self.storyboard = storyboard
        self.storyboardIdentifier = storyboardIdentifier
    }

    /// The header of a scene's own record.
    package init(scene name: RestorationIdentifier, number: RecordNumber) {
        self.init(number: number, parent: .none, kind: .scene, identifier: name, classToken: 0)
    }
}

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
