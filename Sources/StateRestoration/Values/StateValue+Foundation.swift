public import FoundationEssentials

extension String: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.string)
        target.writer.writeText(self)
    }

    /// Reads a stored string, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> String? {
        guard try source.read(.string) else { return nil }
        return try source.reader.readText()
    }
}

extension Data: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.data)
        target.writer.writeBytes(self)
    }

    /// Reads stored data, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> Data? {
        guard try source.read(.data) else { return nil }
        return Data(try source.reader.readBytes())
    }
}

extension Date: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.date)
        target.writer.writeUInt64(timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Reads a stored date, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> Date? {
        guard try source.read(.date) else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: Double(bitPattern: try source.reader.readUInt64()))
    }
}

extension UUID: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.uuid)
        withUnsafeBytes(of: uuid) { target.writer.writeRawBytes($0) }
    }

    /// Reads a stored UUID, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> UUID? {
        guard try source.read(.uuid) else { return nil }
        let bytes = try source.reader.readSlice(16)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension URL: StateValue {
    /// Writes the absolute URL. A base URL is not stored separately.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.url)
        target.writer.writeText(absoluteString)
    }

    /// Reads a stored URL, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> URL? {
        guard try source.read(.url) else { return nil }
        guard let url = URL(string: try source.reader.readText()) else {
            throw ValueError.invalidURL
        }
        return url
    }
}

extension IndexPath: StateValue {
    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.indexPath)
        target.writer.writeVarint(UInt64(count))
        for index in self { target.writer.writeZigzag(Int64(index)) }
    }

    /// Reads a stored index path, or returns `nil` if the stored value has a different type.
    public static func read(from source: inout StateValueReader) throws -> IndexPath? {
        guard try source.read(.indexPath) else { return nil }
        return IndexPath(indexes: try source.reader.readIndexes())
    }
}
