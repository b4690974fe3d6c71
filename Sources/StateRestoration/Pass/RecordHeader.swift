import StateRecords

extension ObjectHeader {
    /// The header of a scene's own record.
    init(scene name: RestorationIdentifier, number: RecordNumber) {
        self.init(
            number: number.rawValue, parent: 0, kind: RestorationKind.scene.rawValue,
            identifier: name.text)
    }

    /// The header of an object where its node says that it stands.
    init(
        _ node: RestorationNode, below holder: RestorationNode?, _ kind: RestorationKind,
        _ names: ClassNames.Names
    ) {
        self.init(
            number: node.record.number.rawValue, parent: holder?.record.number.rawValue ?? 0,
            kind: kind.rawValue, identifier: node.record.identifier?.text ?? "?",
            classToken: names.classToken, restorationClassToken: names.restorationClassToken,
            storyboard: names.storyboard, storyboardIdentifier: names.storyboardIdentifier)
    }

    /// The number of the object's record.
    package var recordNumber: RecordNumber { RecordNumber(number) }

    /// The number of the record above it.
    package var parentNumber: RecordNumber { RecordNumber(parent) }

    /// The identifier in the record.
    package var restorationIdentifier: RestorationIdentifier {
        RestorationIdentifier(recorded: identifier)
    }

    /// What sort of object it is; nil: of one that this version does not know.
    package var restorationKind: RestorationKind? { RestorationKind(rawValue: kind) }

    /// Where the record stands.
    var place: RecordPlace {
        RecordPlace(parent: parentNumber, identifier: restorationIdentifier)
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
