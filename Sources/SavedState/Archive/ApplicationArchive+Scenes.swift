extension ApplicationArchive {
    /// The newest record of each scene, saved or not, in the order in which they first came.
    package var scenes: [ObjectRecord] {
        store.map { store in store.scenes.compactMap { store[$0] } } ?? []
    }

    /// The newest records of what lies below a scene, each after its parent.
    package func objects(ofScene number: UInt32) -> [ObjectRecord] {
        store.map { Array($0.tree(number).dropFirst()) } ?? []
    }

    /// The newest pass of a scene; `nil` if it has none.
    package func pass(ofScene number: UInt32) -> PassEnd? {
        store?.passes[number]
    }

    /// The newest pass of all, by the time that it tells.
    package var lastPass: PassEnd? {
        store?.passes.values.max { $0.timestamp < $1.timestamp }
    }

    /// The names by their numbers.
    package var names: [UInt32: String] { store?.names ?? [:] }

    /// The highest number that any object here has had; 0 for none.
    package var highestObjectNumber: UInt32 { store?.highestObjectNumber ?? 0 }

    private var store: ObjectStore? {
        if case .loaded(let image) = phase { image.store } else { nil }
    }
}
