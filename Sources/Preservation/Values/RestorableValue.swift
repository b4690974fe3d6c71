public import StateRestoration

/// A value of a program's own that an application saves when it changes, and that is there again
/// after a restart; ``Application/value(_:default:aliases:migrations:)`` makes it.
///
/// It may be used from anywhere. Everything waits until the application was launched, which its
/// `run()` does.
public struct RestorableValue<Value: Codable & Sendable>: Sendable {
    private let declared: DeclaredObject<ValueObject>

    init(_ declared: DeclaredObject<ValueObject>) {
        self.declared = declared
    }

    /// The name under which it is saved.
    public var identifier: RestorationIdentifier { declared.identifier }

    /// The value as it is now.
    ///
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched.
    public var current: Value {
        get async throws { try await content().value }
    }

    /// Changes the value. It is saved when this returns, unless the answer says why it is not.
    ///
    /// - Parameter body: changes the value in place, on the application's actor; changes that come at
    ///   once follow each other. If it throws, nothing has changed.
    /// - Returns: what `body` gave, and how safe the change is.
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched; what
    ///   `body` throws.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout Value) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await declared.perform { object in
            let result = try content(of: object).update(body)
            object.invalidateRestorableState()
            return result
        }
    }

    /// The value as it is now, and each time that it has changed, until the application ends for good.
    /// Changes that follow each other while nobody asks are told once.
    public var changes: Changes { Changes(value: self) }

    /// The values that ``RestorableValue/changes`` gives.
    public struct Changes: AsyncSequence, Sendable {
        /// The value that is followed.
        public typealias Element = Value
        fileprivate let value: RestorableValue

        /// Begins to follow the value.
        public func makeAsyncIterator() -> Iterator {
            Iterator(value: value, turns: value.declared.changingTurns.makeAsyncIterator())
        }

        /// Follows the value for one task.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let value: RestorableValue
            fileprivate var turns: AsyncStream<Void>.Iterator
            private var told: Int?

            fileprivate init(value: RestorableValue, turns: AsyncStream<Void>.Iterator) {
                self.value = value
                self.turns = turns
            }

            /// The value as it is now at first, then the next one; nil when no more can come.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async -> Value? {
                while true {
                    // One that is stopped may be launched again.
                    if let content = try? await value.content(), content.change != told {
                        told = content.change
                        return content.value
                    }
                    if await turns.next(isolation: actor) == nil { return nil }
                }
            }
        }
    }

    private func content() async throws -> (value: Value, change: Int) {
        try await declared.look { object in
            let content = try content(of: object)
            return (content.value, content.change)
        }
    }

    private func content(of object: ValueObject) throws -> TypedContent<Value> {
        guard let content = object.content as? TypedContent<Value> else {
            throw declared.isNotThere
        }
        return content
    }
}
