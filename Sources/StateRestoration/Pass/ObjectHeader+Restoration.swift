import StateRecords

extension ObjectHeader {
    /// Creates the header of a scene's own record.
    init(scene name: RestorationIdentifier, number: RecordNumber) {
        self.init(
            number: number.rawValue, parent: 0, kind: RestorationKind.scene.rawValue,
            identifier: name.text)
    }

    /// Creates the header of an object's record from the object's node and the parent's node.
    init(
        _ node: RestorationNode, below parentNode: RestorationNode?, _ kind: RestorationKind,
        _ names: ClassNameNumbers.ObjectNameNumbers
    ) {
        self.init(
            number: node.record.number.rawValue, parent: parentNode?.record.number.rawValue ?? 0,
            kind: kind.rawValue, identifier: node.record.identifier?.text ?? "?",
            classToken: names.classTokenNumber,
            restorationClassToken: names.restorationClassTokenNumber,
            storyboard: names.storyboardNameNumber,
            storyboardIdentifier: names.storyboardIdentifierNumber)
    }

    /// Number of the object's record.
    package var recordNumber: RecordNumber { RecordNumber(number) }

    /// Number of the parent's record.
    package var parentNumber: RecordNumber { RecordNumber(parent) }

    /// Identifier under which the object is recorded.
    package var restorationIdentifier: RestorationIdentifier {
        RestorationIdentifier(recorded: identifier)
    }

    /// Kind of the object, or `nil` if this version of the library does not know the kind.
    package var restorationKind: RestorationKind? { RestorationKind(rawValue: kind) }

    /// Position of the record in the scene.
    var position: RecordPosition {
        RecordPosition(parent: parentNumber, identifier: restorationIdentifier)
    }
}
