extension PositionedNode {
    /// Reads a single value.
    ///
    /// - Returns: The value with its place, or nil when the format refuses it, which is reported.
    package func readScalar<Value>(
        _ path: String, _ format: ScalarFormat<Value>, log: ProblemLog
    ) -> Positioned<Value>? {
        guard case .scalar(let scalar) = content, !scalar.isNull else {
            reportShape(path, expectation: format.expectation, log: log)
            return nil
        }
        do {
            return Positioned(try format.read(scalar), at: position)
        } catch {
            let end = error.remedy.hasSuffix("?") ? "" : "."
            log.report(
                "\(subject(path)) is \(Quotation(scalar.text)): \(error.remedy)\(end)",
                at: position)
            return nil
        }
    }

    /// Whether the node, which is a whole document, is a mapping; reports it if it is not.
    package func checkMapping(log: ProblemLog) -> Bool {
        if case .mapping = content { return true }
        reportShape("", expectation: Self.mappingExpectation, log: log)
        return false
    }

    /// What to write where a mapping is expected.
    static let mappingExpectation = "keys and values, \"key: value\""

    /// Reads a list; each element gets the path `path[index]`, from 0.
    ///
    /// - Returns: What `body` made of the elements, without those for which it returned nil; or nil
    ///   when the node is no list, which is reported.
    package func readList<Element>(
        _ path: String, expectation: String, log: ProblemLog,
        _ body: (PositionedNode, String) -> Element?
    ) -> [Element]? {
        guard case .sequence(let elements) = content else {
            reportShape(path, expectation: expectation, log: log)
            return nil
        }
        return elements.enumerated().compactMap { body($1, "\(path)[\($0)]") }
    }

    /// Reports that the node has the wrong shape.
    func reportShape(_ path: String, expectation: String, log: ProblemLog) {
        let found =
            switch content {
            case .mapping: "a mapping"
            case .sequence: "a list"
            case .scalar(let scalar):
                scalar.isNull ? "empty" : "the single value \(Quotation(scalar.text))"
            }
        log.report("\(subject(path)) is \(found): write \(expectation).", at: position)
    }

    private func subject(_ path: String) -> String {
        path.isEmpty ? "the document" : path
    }
}
