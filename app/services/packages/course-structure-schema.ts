/**
 * Our schema of a cmi5 course structure (cmi5, 13.1), in XML Schema since its messages are the most useful to authors.
 * A string in a module, so that every bundler and runner finds it.
 *
 * It states the elements, their order, what is required and the closed lists of values. Elements and attributes of other
 * namespaces are allowed everywhere and ignored. What needs knowledge beyond one element (ids, references, urls), and the
 * number of masteryScore, is checked in structure.ts with sentences of our own. Values are collapsed before they are compared, since
 * blanks around them mean nothing (cmi5, 13.1).
 */
export const courseStructureNamespace = 'https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd'

export const courseStructureSchema = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${courseStructureNamespace}"
  targetNamespace="${courseStructureNamespace}" elementFormDefault="qualified">

  <xs:group name="foreign">
    <xs:sequence>
      <xs:any namespace="##other" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:group>
  <xs:attributeGroup name="foreign">
    <xs:anyAttribute namespace="##other" processContents="skip"/>
  </xs:attributeGroup>

  <xs:simpleType name="filled">
    <xs:restriction base="xs:token"><xs:minLength value="1"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="moveOn">
    <xs:restriction base="xs:token">
      <xs:enumeration value="NotApplicable"/>
      <xs:enumeration value="Passed"/>
      <xs:enumeration value="Completed"/>
      <xs:enumeration value="CompletedAndPassed"/>
      <xs:enumeration value="CompletedOrPassed"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="launchMethod">
    <xs:restriction base="xs:token">
      <xs:enumeration value="AnyWindow"/>
      <xs:enumeration value="OwnWindow"/>
    </xs:restriction>
  </xs:simpleType>

  <xs:complexType name="value">
    <xs:simpleContent>
      <xs:extension base="xs:string"><xs:attributeGroup ref="foreign"/></xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="filledValue">
    <xs:simpleContent>
      <xs:extension base="filled"><xs:attributeGroup ref="foreign"/></xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="langstring">
    <xs:simpleContent>
      <xs:extension base="xs:string">
        <xs:attribute name="lang" type="xs:language"/>
        <xs:attributeGroup ref="foreign"/>
      </xs:extension>
    </xs:simpleContent>
  </xs:complexType>
  <xs:complexType name="texts">
    <xs:sequence>
      <xs:group ref="foreign"/>
      <xs:sequence maxOccurs="unbounded">
        <xs:element name="langstring" type="langstring"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
    </xs:sequence>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>

  <xs:group name="titleAndDescription">
    <xs:sequence>
      <xs:group ref="foreign"/>
      <xs:element name="title" type="texts"/>
      <xs:group ref="foreign"/>
      <xs:element name="description" type="texts"/>
      <xs:group ref="foreign"/>
    </xs:sequence>
  </xs:group>
  <xs:group name="unitsAndBlocks">
    <xs:sequence>
      <xs:sequence maxOccurs="unbounded">
        <xs:choice>
          <xs:element name="au" type="au"/>
          <xs:element name="block" type="block"/>
        </xs:choice>
        <xs:group ref="foreign"/>
      </xs:sequence>
    </xs:sequence>
  </xs:group>

  <xs:complexType name="described">
    <xs:group ref="titleAndDescription"/>
    <xs:attribute name="id" type="filled" use="required"/>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>
  <xs:complexType name="objectives">
    <xs:sequence>
      <xs:group ref="foreign"/>
      <xs:sequence maxOccurs="unbounded">
        <xs:element name="objective" type="described"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
    </xs:sequence>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>
  <xs:complexType name="objectiveReferences">
    <xs:sequence>
      <xs:group ref="foreign"/>
      <xs:sequence maxOccurs="unbounded">
        <xs:element name="objective">
          <xs:complexType>
            <xs:group ref="foreign"/>
            <xs:attribute name="idref" type="filled" use="required"/>
            <xs:attributeGroup ref="foreign"/>
          </xs:complexType>
        </xs:element>
        <xs:group ref="foreign"/>
      </xs:sequence>
    </xs:sequence>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>

  <xs:complexType name="au">
    <xs:sequence>
      <xs:group ref="titleAndDescription"/>
      <xs:sequence minOccurs="0">
        <xs:element name="objectives" type="objectiveReferences"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
      <xs:element name="url" type="filledValue"/>
      <xs:group ref="foreign"/>
      <xs:sequence minOccurs="0">
        <xs:element name="launchParameters" type="value"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
      <xs:sequence minOccurs="0">
        <xs:element name="entitlementKey" type="value"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
    </xs:sequence>
    <xs:attribute name="id" type="filled" use="required"/>
    <xs:attribute name="moveOn" type="moveOn"/>
    <xs:attribute name="masteryScore" type="filled"/>
    <xs:attribute name="launchMethod" type="launchMethod"/>
    <xs:attribute name="activityType" type="filled"/>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>
  <xs:complexType name="block">
    <xs:sequence>
      <xs:group ref="titleAndDescription"/>
      <xs:sequence minOccurs="0">
        <xs:element name="objectives" type="objectiveReferences"/>
        <xs:group ref="foreign"/>
      </xs:sequence>
      <xs:group ref="unitsAndBlocks"/>
    </xs:sequence>
    <xs:attribute name="id" type="filled" use="required"/>
    <xs:attributeGroup ref="foreign"/>
  </xs:complexType>

  <xs:element name="courseStructure">
    <xs:complexType>
      <xs:sequence>
        <xs:group ref="foreign"/>
        <xs:element name="course" type="described"/>
        <xs:group ref="foreign"/>
        <xs:sequence minOccurs="0">
          <xs:element name="objectives" type="objectives"/>
          <xs:group ref="foreign"/>
        </xs:sequence>
        <xs:group ref="unitsAndBlocks"/>
      </xs:sequence>
      <xs:attributeGroup ref="foreign"/>
    </xs:complexType>
  </xs:element>
</xs:schema>
`
