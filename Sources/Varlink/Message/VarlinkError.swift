/// An error that a method replies: the protocol's way to refuse a call.
///
/// A handler throws it to refuse; a client throws it when it was refused.
package struct VarlinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The fully qualified name, for example `org.varlink.service.InvalidParameter`.
    package let name: String

    /// The error's parameters as one JSON object in UTF-8.
    package let parameters: [UInt8]

    /// An error whose parameters are JSON already.
    /// - Parameters:
    ///   - name: The fully qualified name.
    ///   - parameters: One JSON object in UTF-8; `{}` by default.
    package init(name: String, parameters: [UInt8] = Array("{}".utf8)) {
        self.name = name
        self.parameters = parameters
    }

    /// An error with typed parameters.
    /// - Parameters:
    ///   - name: The fully qualified name.
    ///   - parameters: A value that is encoded as a JSON object.
    /// - Throws: `EncodingError` if the value cannot be JSON.
    package init(name: String, encoding parameters: some Encodable) throws {
        self.init(name: name, parameters: try JSONText.encode(parameters))
    }

    /// The parameters as a typed value.
    /// - Throws: `DecodingError` if they are of another shape.
    package func parameters<Parameters: Decodable>(
        as type: Parameters.Type
    ) throws -> Parameters {
        try JSONText.decode(type, from: parameters)
    }

    /// One sentence: for a standard error in plain words, else the name with its parameters.
    package var description: String {
        if let sentence = standardSentence { return sentence }
        guard parameters != Call.noParameters else { return "The service refused: \(name)." }
        return "The service refused: \(name) \(String(decoding: parameters, as: UTF8.self))."
    }
}
