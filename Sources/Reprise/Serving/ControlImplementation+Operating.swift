import ControllerKit
import Preservation
import RepriseControl
import Varlink

extension ControlImplementation {
    /// What a person does to a scene. Each method answers how safe the change is.
    func onOperating(_ interface: inout InterfaceImplementation) throws {
        try onElements(&interface)
        try onViewing(&interface)
        try operating(.type, &interface) { (scene, parameters: TypeParameters) in
            try parameters.check()
            return try scene.type(
                parameters.text, isAppended: parameters.append == true,
                selecting: parameters.select?.range, at: parameters.path)
        }
        try operating(.back, &interface) { (scene, parameters: BackParameters) in
            if let path = parameters.path { try scene.back(at: path) } else { try scene.back() }
        }
        try operating(.dismiss, &interface) { (scene, _: SceneParameters) in
            try scene.dismiss()
        }
    }

    private func onElements(_ interface: inout InterfaceImplementation) throws {
        try operating(.tap, &interface) { (scene, parameters: TapParameters) in
            try scene.tap(row: parameters.row, at: parameters.path)
        }
        try operating(.select, &interface) { (scene, parameters: SelectParameters) in
            switch (parameters.indexes, parameters.identifiers) {
            case (let indexes?, nil): try scene.select(indexes, at: parameters.path)
            case (nil, let identifiers?):
                try scene.select(identifiers: identifiers, at: parameters.path)
            case (nil, nil): throw VarlinkError.invalidParameter("indexes")
            case (_?, _?): throw VarlinkError.invalidParameter("identifiers")
            }
        }
        try operating(.edit, &interface) { (scene, parameters: EditParameters) in
            try scene.edit(parameters.on, at: parameters.path)
        }
        try operating(.move, &interface) { (scene, parameters: MoveParameters) in
            try scene.move(from: parameters.from, to: parameters.to, at: parameters.path)
        }
        try operating(.delete, &interface) { (scene, parameters: DeleteParameters) in
            try scene.delete(row: parameters.row, at: parameters.path)
        }
    }

    private func onViewing(_ interface: inout InterfaceImplementation) throws {
        try operating(.scroll, &interface) { (scene, parameters: ScrollParameters) in
            let point = Point(x: parameters.x, y: parameters.y)
            guard point.isFinite else {
                throw VarlinkError.invalidParameter(parameters.x.isFinite ? "y" : "x")
            }
            return try scene.scroll(to: point, at: parameters.path)
        }
        try operating(.zoom, &interface) { (scene, parameters: ZoomParameters) in
            guard parameters.scale.isFinite, parameters.scale > 0 else {
                throw VarlinkError.invalidParameter("scale")
            }
            return try scene.zoom(to: parameters.scale, at: parameters.path)
        }
        try operating(.load, &interface) { (scene, parameters: LoadParameters) in
            try scene.load(parameters.url, at: parameters.path)
        }
        try operating(.forward, &interface) { (scene, parameters: ObjectParameters) in
            try scene.forward(at: parameters.path)
        }
    }

    /// Registers what a person does.
    ///
    /// - Parameter body: does it, and tells why what it changed is not preserved; nil if it is.
    private func operating<Parameters: ParametersOfScene>(
        _ method: ControlMethod, _ interface: inout InterfaceImplementation,
        _ body: @escaping @Sendable (SceneCommands, Parameters) throws -> String?
    ) throws {
        try on(method, &interface) { (parameters: Parameters) in
            SavedReply(try await perform(parameters) { try body($0, parameters) })
        }
    }
}

extension TypeParameters {
    /// - Throws: `InvalidParameter` if nothing is to be done, or the selection ends before it begins.
    fileprivate func check() throws(VarlinkError) {
        if text == nil {
            if append == true { throw .invalidParameter("append") }
            if select == nil { throw .invalidParameter("text") }
        }
        if let select, select.range == nil { throw .invalidParameter("select") }
    }
}
