/// What the archive knows of an object apart from its values. Numbers are unique in one archive,
/// and 0 means none; the tree they form is all that is understood here.
package struct ObjectHeader: Sendable, Equatable {
    /// The object's number, 1 or more.
    package var number: UInt32
    /// The number of the object it stands below; 0 for a scene.
    package var parent: UInt32
    /// What sort of object it is; opaque here.
    package var kind: UInt8
    /// The object's own restoration identifier (I5), or the scene's name.
    package var identifier: String
    /// The number of the name that is its class token.
    package var classToken: UInt32
    /// The number of the name that is its restoration class's token.
    package var restorationClassToken: UInt32
    /// The number of the name of the storyboard it was made from.
    package var storyboard: UInt32
    /// The number of the name it has in that storyboard.
    package var storyboardIdentifier: UInt32

    /// Makes a header; what is left out is 0, for none.
    package init(
        number: UInt32, parent: UInt32, kind: UInt8, identifier: String, classToken: UInt32 = 0,
        restorationClassToken: UInt32 = 0, storyboard: UInt32 = 0, storyboardIdentifier: UInt32 = 0
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
}

/// An object as one pass left it: its header, and its values as opaque bytes, which copies share.
package struct ObjectRecord: Sendable, Equatable {
    /// Where the object stands and what it is.
    package var header: ObjectHeader
    /// The encoded values but for those out of line; never read here.
    package var values: ArraySlice<UInt8>
    /// The large values, each a record of its own in the file; mostly none.
    package var outOfLine: [OutOfLineValue]

    /// Makes a record of a header and values.
    package init(header: ObjectHeader, values: ArraySlice<UInt8>, outOfLine: [OutOfLineValue] = [])
    {
        self.header = header
        self.values = values
        self.outOfLine = outOfLine
    }
}

/// A value of an object that is large, and is written only when it changed itself.
package struct OutOfLineValue: Sendable, Equatable {
    /// Tells it from the object's other values.
    package var key: UInt32
    /// The value as opaque bytes.
    package var bytes: ArraySlice<UInt8>

    /// Makes a value of these bytes.
    package init(key: UInt32, bytes: ArraySlice<UInt8>) {
        self.key = key
        self.bytes = bytes
    }
}

/// Says of which scene a pass was, and when it was made.
package struct PassEnd: Sendable, Equatable {
    /// The scene's object number; 0 for a pass that is of no scene.
    package var scene: UInt32
    /// The time of the pass, in microseconds since 1970, UTC; only shown, never compared.
    package var timestamp: Int64

    /// Makes the stamp of one scene's pass; what is left out is 0.
    package init(scene: UInt32 = 0, timestamp: Int64 = 0) {
        self.scene = scene
        self.timestamp = timestamp
    }
}
