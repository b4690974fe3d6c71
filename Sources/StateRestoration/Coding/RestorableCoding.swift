extension StateEncoder {
    /// Stores the state of an object: first the properties that it lists, then what it encodes.
    ///
    /// - Throws: what the object throws.
    package func encodeState(of object: any StateRestoring) throws {
        encodeRestorables(of: object)
        try object.encodeRestorableState(with: self)
    }

    /// Stores the ``Restorable`` properties that an object lists, and reports those that its class
    /// does not list.
    package func encodeRestorables(of object: any StateRestoring) {
        var visitor = LibraryVisitor(task: RestorableTask(.save(self)))
        object.restorables(&visitor)
        let type = ObjectIdentifier(type(of: object))
        let unlisted = names.restorables.unlisted(in: object, of: type)
        if !unlisted.isEmpty { report(unlisted, of: type) }
    }
}

extension StateDecoder {
    /// Gives an object its state: first the properties that it lists, then what it decodes.
    ///
    /// - Throws: what the object throws, else the error of the first property that was saved as
    ///   another type. Everything else is decoded all the same.
    package func decodeState(of object: any StateRestoring) throws {
        var visitor = LibraryVisitor(task: RestorableTask(.restore(self)))
        object.restorables(&visitor)
        let error = takeNoted()
        try object.decodeRestorableState(with: self)
        if let error { throw error }
    }
}

extension RestorableList {
    /// The keys of the properties that an object lists.
    convenience init(of object: any StateRestoring) {
        self.init()
        var visitor = LibraryVisitor(task: RestorableTask(.list(self)))
        object.restorables(&visitor)
    }
}

private struct LibraryVisitor: RestorableVisitor {
    let task: RestorableTask
}
