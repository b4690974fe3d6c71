extension StateEncoder {
    /// Stores a reference to an object, which is thereby preserved too (P5, P8). One without an
    /// identifier cannot be: it is reported, and decodes as nil.
    public func encode(_ object: (any StateRestoring)?, forKey key: StaticString) {
        guard let object, let number = number(of: object, key) else { return }
        store(key) { $0.writer.writeReference(number) }
    }

    /// Stores a reference to an object, also if its class is `Codable`.
    public func encode(_ object: some StateRestoring & Encodable, forKey key: StaticString) {
        encode(object as any StateRestoring, forKey: key)
    }

    /// Stores references in their order (P8). Those that have no identifier are reported, and decode
    /// as nil.
    public func encode(_ objects: [any StateRestoring], forKey key: StaticString) {
        let numbers = objects.compactMap { number(of: $0, key) }
        store(key) { target in
            target.writer.write(.array)
            target.writer.writeVarint(UInt64(numbers.count))
            for number in numbers { target.writer.writeReference(number) }
        }
    }

    /// Stores references by name (P8). Those that have no identifier are reported, and decode as nil.
    public func encode(_ objects: [String: any StateRestoring], forKey key: StaticString) {
        let numbers = objects.sorted { $0.key < $1.key }
            .compactMap { name, object in number(of: object, key).map { (name, $0) } }
        store(key) { target in
            target.writer.write(.dictionary)
            target.writer.writeVarint(UInt64(numbers.count))
            for (name, number) in numbers {
                target.writer.writeText(name)
                target.writer.writeReference(number)
            }
        }
    }

    /// The number to store for an object; nil if there is none.
    private func number(of object: any StateRestoring, _ key: StaticString) -> RecordNumber? {
        let number = reference?(object)
        if number == nil || object.restoration.identifier == nil {
            let isReported = problems.last?.key == key.description
            if !isReported { report(.referenceWithoutIdentifier, key) }
        }
        return number
    }
}
